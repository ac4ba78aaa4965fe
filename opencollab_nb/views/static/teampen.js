// How lanes are drawn on a canvas: pure of the page, given a pen, places and colours.

import { count } from "./dom.js";
import { stepGap } from "./scale.js";

const FEW_LETTERS = 70; // of more, only the ends are drawn
const EDGE = 5; // between two lanes
export const AXIS = 22;
export const TOP = 12; // above the first lane, for what comes from outside

/** Places of ticks and lanes. */
export class Places {
  constructor(width, tall, last, first) {
    Object.assign(this, { width, tall, last, first });
    this.px = (width - 18) / Math.max(last - first, 1);
  }

  x(tick) {
    return (tick - this.first) * this.px;
  }

  top(lane) {
    return TOP + lane * this.tall;
  }

  tickAt(x) {
    return Math.floor(x / this.px) + this.first;
  }
}

/** Steps as bars: from one step of a member to its next, if it made one in each round; as high as its request. */
export function paintSteps(pen, store, places, ink) {
  const { steps, lanes, figures } = store;
  const round = lanes.length + 1;
  const open = lanes.map(() => null); // the newest bar of each lane
  const bars = lanes.map(() => new Map()); // pixel -> bar: of many in one pixel the highest
  const close = (lane, at) => {
    const bar = open[lane];
    if (!bar) return;
    const ticks = at - bar.at;
    bar.wide = (ticks <= round ? ticks : 1) * places.px;
    const pixel = Math.floor(bar.x);
    const other = bars[lane].get(pixel);
    if (other) bar.wide = Math.max(bar.wide + bar.x - pixel, other.wide);
    if (!other || other.tokens < bar.tokens) bars[lane].set(pixel, bar);
    else other.wide = bar.wide;
  };
  steps.forEach((step, index) => {
    close(step.lane, index);
    open[step.lane] = { at: index, x: places.x(index + store.first), ...step };
  });
  lanes.forEach((_, lane) => close(lane, steps.length));
  const room = places.tall - EDGE;
  pen.globalAlpha = 0.92;
  lanes.forEach((_, lane) => {
    const foot = places.top(lane) + room;
    const trigger = figures[lane]?.trigger || 1;
    for (const bar of bars[lane].values()) {
      const gap = bar.wide > 5 ? 1 : bar.wide > 2.5 ? 0.5 : 0;
      const high = Math.max(3, Math.min(bar.tokens / trigger, 1) * room);
      pen.fillStyle = ink.kinds[bar.kind];
      // Narrow ones on whole pixels: else their edges make a pattern of their own.
      const x = bar.wide > 5 ? bar.x : Math.floor(bar.x);
      const wide = bar.wide > 5 ? bar.wide - gap : Math.ceil(bar.x + bar.wide) - x - gap;
      pen.fillRect(x, foot - high, wide, high);
      if (!bar.failed) continue;
      pen.fillStyle = ink.bad;
      pen.fillRect(x, foot - 2, wide, 2);
    }
  });
  pen.globalAlpha = 1;
}

/** The ground of each lane, from its beginning on. */
export function paintGround(pen, store, places, ink) {
  store.lanes.forEach((lane, at) => {
    const y = places.top(at);
    const from = lane.began < 0 ? places.width : Math.max(places.x(lane.began), 0);
    pen.fillStyle = ink.free;
    pen.globalAlpha = 0.6;
    pen.fillRect(from, y, Math.max(places.width - from, 0), places.tall - EDGE);
    pen.globalAlpha = 1;
    pen.fillStyle = ink.line;
    pen.fillRect(0, y + places.tall - EDGE, places.width, 1);
  });
}

export function paintAxis(pen, places, lanes, ink) {
  const y = places.top(lanes) + 12;
  pen.fillStyle = ink.quiet;
  pen.textAlign = "center";
  const gap = stepGap(places.last - places.first);
  for (let tick = Math.ceil(places.first / gap) * gap; tick <= places.last; tick += gap) {
    if (tick) pen.fillText(count(tick), Math.min(places.x(tick), places.width - 14), y);
  }
}

/** Messages and tasks from lane to lane; of many only their ends. */
export function paintLetters(pen, events, places, ink) {
  const letters = events.filter((event) => event.letter || event.kind === "spawn");
  const lines = letters.length <= FEW_LETTERS;
  for (const event of letters) paintLetter(pen, event, places, ink, lines, false);
}

/** Where a message arrives; one that has not yet is on its way. */
export function arrival(event, places) {
  if (!event.letter) return event.x;
  return event.got < 0 ? event.x + 9 : Math.max(places.x(event.got), event.x);
}

export function paintLetter(pen, event, places, ink, line, strong) {
  const [from, to] = event.letter ? [event.from, event.to] : [event.other, event.lane];
  const task = event.about === "task" || event.kind === "spawn";
  const colour = strong ? ink.ink : task ? ink.accent : ink.quiet;
  const down = from < to;
  const middle = (places.tall - EDGE) / 2;
  const [x, y] = [event.x, from < 0 ? places.top(to) - TOP + 2 : places.top(from) + middle];
  const end = [Math.min(arrival(event, places), places.width - 3), places.top(to) + (down ? 1 : places.tall - EDGE - 1)];
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = strong ? 2 : 1.25;
  if (line || strong) {
    const bend = (end[1] - y) * 0.5;
    const path = new Path2D(`M${x},${y}C${x},${y + bend} ${end[0]},${end[1] - bend} ${end[0]},${end[1]}`);
    halo(pen, path, ink.ground, pen.lineWidth + 2);
    pen.setLineDash(task ? [] : [4, 3]);
    pen.stroke(path);
    pen.setLineDash([]);
  }
  if (from >= 0) ring(pen, x, y, strong ? 4 : 3, colour, ink.ground);
  if (event.got < 0) return;
  const way = down ? 1 : -1;
  const head = new Path2D(`M${end[0]},${end[1] + way * 5}l-4,${-way * 7}h8z`);
  halo(pen, head, ink.ground, 2);
  pen.fillStyle = colour;
  pen.fill(head);
}

/** What happened to one member: shaped, swapped, ran out, ended. */
export function paintMoments(pen, events, places, ink) {
  for (const event of events) {
    if (!event.letter && event.kind !== "spawn") MOMENTS[event.kind]?.(pen, event, places, ink);
  }
}

const MOMENTS = {
  layer(pen, { x, lane }, places, ink) {
    const y = places.top(lane) - 1;
    const mark = new Path2D(`M${x - 4.5},${y}h9l-4.5,7z`);
    halo(pen, mark, ink.ground, 2);
    pen.fillStyle = ink.summary;
    pen.fill(mark);
  },
  swap(pen, { x, lane }, places, ink) {
    const y = places.top(lane) + 3;
    pen.fillStyle = ink.accent;
    pen.fill(new Path2D(`M${x},${y - 4}l4,4l-4,4l-4,-4z`));
  },
  out(pen, { x, lane }, places, ink) {
    const [y, tall] = [places.top(lane), places.tall - EDGE];
    pen.fillStyle = ink.bad;
    pen.fillRect(x - 1, y - 2, 2.5, tall + 3);
    const words = "ran out";
    const wide = pen.measureText(words).width;
    const left = x + wide + 12 > places.width;
    pen.textAlign = left ? "right" : "left";
    pen.lineWidth = 4;
    pen.strokeStyle = ink.ground;
    const [at, middle] = [x + (left ? -7 : 7), y + 8];
    pen.strokeText(words, at, middle);
    pen.fillText(words, at, middle);
  },
  end(pen, { x, lane, text }, places, ink) {
    const y = places.top(lane) + places.tall - EDGE - 5;
    const good = text.startsWith("finished");
    pen.fillStyle = good ? ink.good : ink.bad;
    const mark = new Path2D();
    if (good) mark.arc(x + 6, y, 4, 0, 7);
    else mark.rect(x + 3, y - 3.5, 7, 7);
    halo(pen, mark, ink.ground, 2.5);
    pen.fill(mark);
  },
};

/** What the pointer or the keys are at. */
export function paintChosen(pen, event, places, ink) {
  if (event.letter || event.kind === "spawn") paintLetter(pen, event, places, ink, true, true);
  const lane = event.letter ? event.from : event.lane;
  const y = lane < 0 ? places.top(0) - 6 : places.top(lane) + (places.tall - EDGE) / 2;
  ring(pen, event.x, y, 7, ink.accent, null);
}

/** The lane that is shown below. */
export function paintOpen(pen, lane, places, ink) {
  pen.strokeStyle = ink.accent;
  pen.lineWidth = 1.5;
  pen.strokeRect(0.75, places.top(lane) - 0.5, places.width - 1.5, places.tall - EDGE + 1.5);
}


function halo(pen, path, colour, wide) {
  const { strokeStyle, lineWidth } = pen;
  pen.strokeStyle = colour;
  pen.lineWidth = wide;
  pen.stroke(path);
  Object.assign(pen, { strokeStyle, lineWidth });
}

function ring(pen, x, y, radius, colour, ground) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  if (ground) {
    pen.fillStyle = ground;
    pen.fill();
  }
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.stroke();
}
