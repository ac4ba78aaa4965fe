// The panel of a session.

import { pageOf } from "./page.js";
import { Store } from "./store.js";
import { sessionView } from "./view.js";

export default pageOf(Store, sessionView);
