import { type ControlClient, messageOf, Refused } from "./client.ts";
import type { FolderFile } from "./folder-files.ts";
import { commitShardAnswer, type NewCheckpointAnswer, type ShardFile } from "./protocol.ts";
import { type StoreMover, uploadWithSums } from "./store-transfer.ts";

/** Files that this machine knows to be stored with a complete upload, so that they need not be sent again. */
export type KnownShards = Map<string, { bytes: number; changedMs: number; shard: ShardFile }>;

interface ShardUpload {
	client: ControlClient;
	root: string;
	files: readonly FolderFile[];
	known: KnownShards;
	/** Throws if the job wrote to its files meanwhile. */
	requireUnchanged(): Promise<void>;
	mover: StoreMover;
}

export interface ShardResult {
	complete: boolean;
	files: number;
	/** Bytes sent and the time it took. */
	sentBytes: number;
	sentMs: number;
}

/** Bytes of these files that an upload would send. */
export function freshBytes(files: readonly FolderFile[], known: KnownShards): number {
	return files.filter((file) => !isKnown(file, known)).reduce((sum, file) => sum + file.bytes, 0);
}

function isKnown(file: FolderFile, known: KnownShards): boolean {
	const before = known.get(file.path);
	return before !== undefined && before.bytes === file.bytes && before.changedMs === file.changedMs;
}

/** Uploads what changed to the store, and sends the manifest to the control plane. */
export async function uploadShards(
	begun: NewCheckpointAnswer & { store: NonNullable<NewCheckpointAnswer["store"]> },
	upload: ShardUpload,
): Promise<ShardResult> {
	const { client, root, files, known, mover } = upload;
	const fresh = files.filter((file) => !isKnown(file, known));
	const beganMs = performance.now();
	const sums = await uploadWithSums(root, fresh, begun.store.access, mover);
	const sentMs = performance.now() - beganMs;
	await upload.requireUnchanged();
	const sent = new Map(sums.map((file) => [file.path, { ...file, from: begun.store.folder }]));
	const shards = files.map((file) => sent.get(file.path) ?? known.get(file.path)?.shard).filter((shard) => shard !== undefined);
	const { complete } = await client.call({
		...{
			method: "POST" as const,
			path: `/checkpoints/${begun.id}/shards`,
			json: { shards },
			answer: commitShardAnswer,
			signal: mover.signal,
		},
	});
	known.clear();
	for (const file of files) {
		const shard = shards.find(({ path }) => path === file.path);
		if (shard) known.set(file.path, { bytes: file.bytes, changedMs: file.changedMs, shard });
	}
	return { complete, files: files.length, sentBytes: sums.reduce((sum, file) => sum + file.bytes, 0), sentMs };
}

/** If a commit refers to files that the control plane does not have, the next one sends everything. */
export function clearOnRejection(error: unknown, known: KnownShards, log: (text: string) => void): void {
	if (!(error instanceof Refused) || error.problem.code !== "precondition_failed") return;
	known.clear();
	log(`the next checkpoint will be uploaded in full: ${messageOf(error)}`);
}
