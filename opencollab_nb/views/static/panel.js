// The panel of a session.

import { pageOf } from "./page.js";
import { sessionView } from "./view.js";

export default pageOf(sessionView);
