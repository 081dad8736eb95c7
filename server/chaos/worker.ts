import { createDatabaseOn } from "#server/db/testing/throwaway.ts";
import { CloudPorts } from "./emulated-cloud.ts";
import { endProcessesOf } from "./guest-processes.ts";
import type { AgentFile } from "./machine-context.ts";
import type { Plan } from "./plan.ts";
import { runOnce } from "./run.ts";
import type { RunReport } from "./run-report.ts";

/** Executes runs one by one as its parent requests them (fleet.ts). A separate process, so that a hung run can be ended. */
export interface Order {
	plan: Plan;
	serverUrl: string;
	rate: number;
	agent: AgentFile;
	limitMs: number;
	verbose: boolean;
}
export type Word =
	| { kind: "stage"; stage: string; folder: string }
	| { kind: "report"; report: RunReport }
	| { kind: "failed"; why: string };

const ports = new CloudPorts();
let folderOfRun = "";
const announce = (word: Word): void => void process.send?.(word);

/** The database client leaves a rejection unhandled when a session is cut while opening (fetchArrayTypes). */
process.on("unhandledRejection", (error) => process.stderr.write(`unhandled: ${String(error)}\n`));
// The parent ended, for whatever reason: stop everything in the run.
process.on("disconnect", () => {
	endProcessesOf(folderOfRun);
	process.exit(1);
});
// Ignore Ctrl-C, which a terminal sends to the whole process group: the parent decides what to end.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("message", (order: Order) => {
	run(order).then(
		(report) => announce({ kind: "report", report }),
		(error: unknown) => announce({ kind: "failed", why: error instanceof Error ? error.message : String(error) }),
	);
});

async function run({ plan, serverUrl, rate, agent, limitMs, verbose }: Order): Promise<RunReport> {
	const database = await createDatabaseOn(serverUrl);
	const began = performance.now();
	const log = (text: string): void => {
		if (verbose) process.stderr.write(`${plan.seed} ${(performance.now() - began).toFixed(0).padStart(6)} ${text}\n`);
	};
	const onStage = (stage: string, folder: string): void => {
		folderOfRun = folder;
		announce({ kind: "stage", stage, folder });
	};
	try {
		return await runOnce({ plan, databaseUrl: database.url, ports, agent, rate, limitMs, onStage, verbose, log });
	} finally {
		await database.drop();
	}
}
