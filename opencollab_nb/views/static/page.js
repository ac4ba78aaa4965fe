// What anywidget asks for: one store for each model, any number of views on it. `build` as in `Frame`.

import { Frame } from "./frame.js";

export const pageOf = (Store, build) => () => {
  let store;
  return {
    initialize({ model }) {
      store = new Store(model);
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
      const view = new Frame(store, el, build, model);
      return () => view.close();
    },
  };
};
