// Words for the pointer: what the panel's terms mean, for a reader who has not read anything else.

export const SAYS = {
  effective: "What a request may hold: the window, less room for the reply and a buffer.",
  target: "Once the trigger is crossed, shapers make the request no larger than this.",
  trigger: "A request that would be larger than this is shaped before it is sent.",
  spent: "Spent: tokens sent and received so far. Cached: the share of those sent that the provider still had, at a lower price.",
  mode: "Sticky: what was removed stays removed, so that the beginning of requests stays the same. Stateless: each request is made afresh from the transcript.",
  policy: "A chain of shapers by name.",
  summarizer: "Who writes summaries for Compact: nobody, a program that quotes, or a model.",
};

const SOURCES = {
  counted: "Counted with this model's tokenizer.",
  calibrated: "Estimated from the characters, corrected by what the provider reported.",
  estimated: "Estimated from the characters; nothing was reported yet.",
};

/** Whether a number was counted, calibrated or estimated, and what that means. */
export const sourceWords = (source) => SOURCES[source.split(" ")[0]] ?? SAYS.trigger;

/** The states of the context map. */
export const STATE_SAYS = {
  verbatim: "Sent word for word.",
  offloaded: "A long result: a digest and a pointer stand here; the agent reads on with read_result.",
  capped: "Too long by itself: its middle is cut out.",
  cleared: "An old tool result: one line stands in its place.",
  rewritten: "Sent in a shorter form.",
  "not sent": "Left out of this request. The transcript still holds it.",
  snipped: "A whole old step, left out; the number is how many messages.",
  shed: "Left out for its low priority.",
  summarized: "Left out; a summary stands for it.",
  "stands for others": "A summary that is sent in place of the messages it covers.",
  free: "What is left below the trigger.",
  reserve: "Between trigger and window: room for the reply, and a buffer.",
  tail: "At the end of this request only, not stored: goal and state once more.",
};

/** What each layer does, and what is lost by it. */
const LAYER_SAYS = {
  OffloadShaper: "Once a long result is no longer the newest: a digest and a pointer; read_result shows any of it.",
  ToolResultBudgetShaper: "Cuts the middle out of a tool result that is too long, at every request.",
  ContextShedShaper: "Over the trigger, leaves out what is marked as less important.",
  ToolOutputClearShaper: "Over the trigger, puts a line in place of old results of tools that can be run again.",
  OldHistorySnipShaper: "Over the trigger, leaves out whole old steps, the oldest first.",
  SegmentCompactShaper: "Over the trigger, puts one summary in place of each old stretch that a milestone ends.",
  AutoCompactShaper: "Over the trigger, puts one summary in place of all but the newest steps.",
  EagerToolOutputClearShaper: "Clears old results at every request; the cached beginning moves each time.",
};

export const layerWords = (layer) => LAYER_SAYS[layer] ?? "A shaper of this notebook.";
