// `npm run walk:pipelines -- [--json] [--only example,drops,sweep,mlflow] [--keep]`: the promises of pipelines, sweeps, triggers and
// MLflow on a fresh demo, with the scheduler killed in between. Exit code 1 if one does not hold. About ten minutes on two cores.
// --keep leaves the demo's folder, which has its logs.
import { walkDrops } from "./walk/drops.mjs";
import { walkExample } from "./walk/example.mjs";
import { walkMlflow } from "./walk/mlflow.mjs";
import { walkSweep } from "./walk/sweep.mjs";
import { runWalk } from "./walk/walk.mjs";

await runWalk({ example: walkExample, mlflow: walkMlflow, drops: walkDrops, sweep: walkSweep });
