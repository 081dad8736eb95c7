import { readdir, stat } from "node:fs/promises";
import { DAY_MS } from "#server/kernel/units.ts";
import { deleteTree } from "../delete-tree.ts";
import { artifactPlace } from "./store.ts";

/** An upload without a new file for so long was broken off: its machine or the web server was killed. An assumption. */
const BROKEN_AFTER_MS = 7 * DAY_MS;
const PARTIAL = ".partial";

/** Deletes what broken uploads left in the embedded store. */
export async function deleteBrokenUploads(root: string, nowMs: number): Promise<void> {
	for (const name of await readdir(root).catch(() => [])) {
		if (!name.endsWith(PARTIAL)) continue;
		const place = artifactPlace(root, name.slice(0, -PARTIAL.length));
		const found = await stat(place.partial).catch(() => null);
		if (found === null || found.mtimeMs > nowMs - BROKEN_AFTER_MS) continue;
		for (const left of [place.partial, place.manifest, place.storeNote]) await deleteTree(left);
	}
}
