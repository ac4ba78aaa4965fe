// All that is saved of a panel with its notebook: the code itself comes by message, once for each page.

const KEY = "«key»";
const WAIT_MS = 5000;
const ASK_AGAIN_MS = [0, 300, 600, 1200, 2400, 4800, 9600];
const shelf = (globalThis.opencollabPanels ??= new Map()); // key of the code -> its module

/** Make a module of the code, and put its style on the page. */
async function unpack({ code, style }) {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const made = await import(url);
  URL.revokeObjectURL(url);
  if (!shelf.has(KEY)) {
    const sheet = document.createElement("style");
    sheet.textContent = style;
    document.head.append(sheet);
    shelf.set(KEY, made);
  }
  return shelf.get(KEY);
}

export default () => {
  let panel = null; // the panel's half of this model, once it is there
  let end = () => {};
  const waiting = new Set(); // views that cannot be drawn yet
  const begin = (made, model) => {
    panel = made.default();
    end = panel.initialize({ model });
    for (const show of waiting) show();
    waiting.clear();
  };
  return {
    initialize({ model }) {
      if (shelf.has(KEY)) {
        begin(shelf.get(KEY), model);
        return () => end();
      }
      const page = Math.floor(Math.random() * 2 ** 31);
      const timers = ASK_AGAIN_MS.map((ms) => setTimeout(() => model.send({ kind: "code", page }), ms));
      const rest = () => {
        for (const timer of timers) clearTimeout(timer);
        model.off("msg:custom", take);
      };
      let closed = false;
      const take = async (message) => {
        if (message.kind !== "code") return;
        rest();
        const made = await unpack(message);
        if (!closed) begin(made, model);
      };
      model.on("msg:custom", take);
      return () => {
        closed = true;
        rest();
        end();
      };
    },
    render({ model, el }) {
      let close = () => el.replaceChildren();
      const show = () => {
        clearTimeout(timer);
        close = panel.render({ model, el });
      };
      const timer = setTimeout(() => {
        if (!panel) el.textContent = "The live panel needs its kernel: run this cell again.";
      }, WAIT_MS);
      if (panel) show();
      else waiting.add(show);
      return () => {
        clearTimeout(timer);
        waiting.delete(show);
        close();
      };
    },
  };
};
