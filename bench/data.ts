/**
 * Checkpoints and results at training scale: `npm run bench:data [-- --json] [--ranks N] [--gib-per-rank N] [--artifact-gib N] [--folder
 * DIR]`.
 * Machines, each a process with the agent's code, exchange files with an object store on loopback using credentials for their folder. The
 * control plane receives manifests, and any other byte that passes through it is counted. Plain `rclone copy` sends the same files to the
 * same store in the same run. Needs rclone, and three times the checkpoint's size of disk in DIR.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createDatabaseOn } from "#server/db/testing/throwaway.ts";
import { startThrowawayPostgres } from "../scripts/test-postgres.mjs";
import { type DataFigures, measureData } from "./lib/data-run.ts";
import { round } from "./lib/figures.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		ranks: { type: "string", default: "8" },
		"gib-per-rank": { type: "string", default: "2" },
		"artifact-gib": { type: "string", default: "2" },
		folder: { type: "string", default: tmpdir() },
	},
});
const GIB = 1024 ** 3;
const sizes = {
	ranks: Number(args.ranks),
	bytesPerRank: Math.round(Number(args["gib-per-rank"]) * GIB),
	artifactBytes: Math.round(Number(args["artifact-gib"]) * GIB),
};
const note = (text: string): void => void process.stderr.write(`${text}\n`);
note(`load of this machine before the run: ${round(loadavg()[0] ?? 0)}`);
const folder = await mkdtemp(path.join(args.folder, "spillway-bench-data-"));
const postgres = await startThrowawayPostgres();
const database = await createDatabaseOn(postgres.url);
try {
	const { checkpoint, artifact, restore } = await measureData(database.db, folder, sizes, note);
	const figures: DataFigures = {
		checkpoint: { ...checkpoint, seconds: round(checkpoint.seconds, 2), shareOfRclone: round(checkpoint.shareOfRclone, 2) },
		artifact: { ...artifact, seconds: round(artifact.seconds, 2), shareOfRclone: round(artifact.shareOfRclone, 2) },
		restore: { ...restore, seconds: round(restore.seconds, 2) },
	};
	process.stdout.write(args.json ? `${JSON.stringify(figures)}\n` : textOf(figures));
} finally {
	await database.drop();
	await postgres.stop();
	await rm(folder, { recursive: true, force: true });
}

function textOf({ checkpoint, artifact, restore }: DataFigures): string {
	const speed = ({ bytes, seconds }: { bytes: number; seconds: number }): string =>
		`${round(bytes / GIB, 3)} GiB in ${seconds} s (${round(bytes / GIB / seconds, 2)} GiB/s)`;
	return [
		`checkpoint of ${checkpoint.ranks} ranks: ${speed(checkpoint)}, ${round(checkpoint.shareOfRclone * 100, 0)}% of plain rclone, ${checkpoint.bytesThroughControlPlane} bytes of files through the control plane`,
		`artifact: ${speed(artifact)}, ${round(artifact.shareOfRclone * 100, 0)}% of plain rclone`,
		`restore: ${speed(restore)}, each file checked\n`,
	].join("\n");
}
