import type { SlurmJob } from "../mapper.ts";

/** A waiting job as slurmctld reports it, of one GPU. */
export function aSlurmJob(changes: Partial<SlurmJob> = {}): SlurmJob {
	return {
		...{
			id: 7,
			name: "train",
			user: "alice",
			partition: "gpu",
			state: "PENDING",
			description: "",
			reason: "Resources",
			restarts: 0,
			submittedAtMs: 890_000,
		},
		...{ startedAtMs: null, endedAtMs: null, timeLimitMs: null, nodes: 1, gpus: 1, gresType: null, nodeList: "", userId: 1000 },
		...{ comment: "", priority: 100, dependency: "", array: null, hetJobId: null, command: "/home/alice/train.sh", submitLine: "" },
		...{ workFolder: "/home/alice", stdoutPattern: "", stderrPattern: "", exitCode: null },
		...changes,
	};
}
