// What anywidget asks for: one store for each model, any number of views on it.

import { TeamStore } from "./teamstore.js";
import { TeamView } from "./teamview.js";

export default () => {
  let store;
  return {
    initialize({ model }) {
      store = new TeamStore(model);
      const take = (message, buffers) => store.take(message, buffers);
      // Fired when the kernel restarts or dies.
      const lost = () => store.lost();
      model.on("msg:custom", take);
      model.on("comm_live_update", lost);
      store.begin();
      return () => {
        model.off("msg:custom", take);
        model.off("comm_live_update", lost);
        store.close();
      };
    },
    render({ model, el }) {
      const member = async (id) => {
        const { widget_manager: widgets } = model;
        return widgets.create_view(await widgets.get_model(id));
      };
      const view = new TeamView(store, el, member);
      return () => view.close();
    },
  };
};
