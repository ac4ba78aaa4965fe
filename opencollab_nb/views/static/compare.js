// The panel that compares chains on transcripts.

import { compareView } from "./compare_view.js";
import { pageOf } from "./page.js";
import { Store } from "./store.js";

export default pageOf(Store, compareView);
