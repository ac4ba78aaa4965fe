// Of every text that can be seen under `root`: its colour on what lies behind it, as WCAG counts it.
(root) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const rgba = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3]));
  const light = (c) => {
    const [r, g, b] = c.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    const layers = [];
    for (let n = node; n; n = n.parentElement) layers.push(rgba(getComputedStyle(n).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const opacity = (node) => {
    let total = 1;
    for (let n = node; n; n = n.parentElement) total *= Number(getComputedStyle(n).opacity);
    return total;
  };
  const found = [];
  for (const node of root.querySelectorAll("*")) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !node.getClientRects().length || node.tagName === "title" || node.tagName === "OPTION") continue;
    const style = getComputedStyle(node);
    const ink = rgba(node instanceof SVGElement ? style.fill : style.color);
    ink[3] *= opacity(node);
    const below = ground(node);
    const [a, b] = [light(over(ink, below)), light(below)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    found.push([Math.round(ratio * 100) / 100, node.textContent.trim().slice(0, 40), node.className?.baseVal ?? node.className]);
  }
  return found.sort((x, y) => x[0] - y[0]);
};
