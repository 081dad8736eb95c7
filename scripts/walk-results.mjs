// `npm run walk:results -- [--json] [--only downloads,killed,access] [--keep]`: on a fresh demo, results of jobs at home and in a cloud are
// downloaded byte for byte, are delivered although the agent is killed during the upload, and can no longer be downloaded by people who
// left the team. Exit code 1 if one does not hold. --keep leaves the demo's folder, which has its logs.
import { walkAccess, walkDownloads, walkKilledAgent } from "./walk/results.mjs";
import { runWalk } from "./walk/walk.mjs";

await runWalk({ downloads: walkDownloads, killed: walkKilledAgent, access: walkAccess });
