import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { writeWhole } from "../local/attempt-folder.ts";

const TEXT = readFileSync(new URL("../local/run-job.sh", import.meta.url), "utf8");
/** A shell reads its script while it runs, so a different text gets a different file. The dot distinguishes it from attempts. */
const NAME = `run-job.${createHash("sha256").update(TEXT).digest("hex").slice(0, 12)}.sh`;

const written = new Map<string, Promise<string>>();

/** The path of the supervising script on the nodes, written once for all attempts of a site. */
export function sharedSupervisor(folder: string): Promise<string> {
	const file = path.join(folder, NAME);
	const known = written.get(file);
	if (known !== undefined) return known;
	const done = writeWhole(file, TEXT).then(() => file);
	written.set(file, done);
	// A failed write is retried.
	done.catch(() => written.delete(file));
	return done;
}
