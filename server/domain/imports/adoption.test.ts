import { expect, it } from "vitest";
import type { ForeignJob } from "../foreign-job.ts";
import { convertForeignJob } from "./adoption.ts";

const FACTS: ForeignJob = {
	...{ id: "12", name: "train", user: "ann", partition: "gpu", poolId: "gpu", state: "held", waitingReason: null },
	...{ nodes: 1, gpus: 1, slots: [], position: 0, submittedAtMs: 0, startedAtMs: null, timeLimitMs: null },
	...{ optIn: "yes", holdMark: null, array: null, groupId: null, dependsOn: null },
};
const CONTEXT = { team: "research", teams: [], acceleratorsNamed: () => [], zoneOffsetMinutes: 0, email: null, nowMs: 0 };
const convert = (text: string, facts: Partial<ForeignJob> = {}) =>
	convertForeignJob({ kind: "sbatch", text, obstacles: [] }, { ...FACTS, ...facts }, CONTEXT);

const ARRAY = "#!/bin/sh\n#SBATCH --array=1-4\n#SBATCH --gpus=1\ntrue\n";

it("adopts a task of an array", () => {
	expect(convert(ARRAY, { array: { id: "12", task: "3" } })).toMatchObject({ spec: { resources: { gpus: 1 } } });
});

it("does not adopt an array without knowing the task", () => {
	expect(convert(ARRAY)).toEqual({ why: ["The script defines a job array, but the cluster reports no task of it."] });
});
