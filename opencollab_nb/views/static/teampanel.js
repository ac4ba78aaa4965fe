// The panel of a team.

import { pageOf } from "./page.js";
import { TeamStore } from "./teamstore.js";
import { teamView } from "./teamview.js";

export default pageOf(TeamStore, teamView);
