/** One machine of `bench:data`: its own process with the agent's code, as on a separate machine. Executes orders one after another. */
import { mkdir } from "node:fs/promises";
import { CheckpointSync } from "#server/agent/checkpoint-sync.ts";
import { ControlClient } from "#server/agent/client.ts";
import type { Restorable } from "#server/agent/protocol.ts";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { restoreCheckpoint } from "#server/agent/restore-checkpoint.ts";
import { uploadOutputs } from "#server/agent/upload-outputs.ts";
import type { OutputSpec } from "#server/domain/output.ts";

export type RankOrder = { url: string; token: string | null; folder: string } & (
	| { action: "save" }
	| { action: "restore"; rank: number; checkpoint: Restorable }
	| { action: "upload"; output: OutputSpec }
);
export interface RankAnswer {
	problem: string | null;
}

const { signal } = new AbortController();
const log = (text: string): void => void process.stderr.write(`${text}\n`);

process.on("message", (order: RankOrder) => {
	void run(order)
		.catch((error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)))
		.then((problem) => process.send?.({ problem } satisfies RankAnswer));
});

// An agent loads its program long before it saves.
process.send?.("ready");

/** Returns the error, or null. */
async function run(order: RankOrder): Promise<string | null> {
	const client = new ControlClient({ baseUrl: order.url, log });
	client.token = order.token;
	const common = { client, folder: order.folder, rclone: rcloneOfHost, signal, log };
	switch (order.action) {
		case "save": {
			const id = await new CheckpointSync({ ...common, restored: "[]", allRanks: true }).upload(signal);
			return id === null ? "nothing was saved" : null;
		}
		case "restore": {
			await mkdir(order.folder, { recursive: true });
			const { checkpoint, rank } = order;
			const done = await restoreCheckpoint(client, { ...common, checkpoint, rank, own: true });
			return done?.id === checkpoint.id ? null : "another checkpoint was restored";
		}
		case "upload":
			return uploadOutputs({ ...common, workFolder: order.folder }, [order.output]);
	}
}
