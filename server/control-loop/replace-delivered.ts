import { lstat, mkdir, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { sumOf } from "#server/services/work/artifact/store.ts";

/** A file that Spillway delivered, `path` relative to the folder. */
export interface DeliveredFile {
	path: string;
	bytes: number;
	sha256: string;
}

/** Why nothing can be delivered to a folder: a message for people. */
class DeliveryError extends Error {
	override name = "DeliveryError";
}

/** @throws DeliveryError when a symbolic link on the way leads out of `root`, the folder is a link, or a file is in the way */
export async function requireBelow(root: string, target: string): Promise<void> {
	await mkdir(root, { recursive: true });
	const realRoot = await realpath(root);
	const names = path.relative(root, target).split(path.sep);
	for (const [index] of names.entries()) {
		const at = path.join(root, ...names.slice(0, index + 1));
		const found = await lstat(at).catch(nullIfMissing);
		if (found === null) return;
		const name = path.relative(root, at);
		if (found.isSymbolicLink()) {
			const real = at === target ? null : await realpath(at).catch(nullIfMissing);
			if (real === null || !real.startsWith(realRoot + path.sep))
				throw new DeliveryError(`${name} is a symbolic link, and results are not delivered through it; choose another folder`);
		} else if (!found.isDirectory()) throw new DeliveryError(`${name} is a file; choose another folder`);
	}
}

/**
 * Puts the folder `staged` at `target` in one step. Files of earlier deliveries there are deleted. With any other file there, nothing
 * changes. `old` holds the earlier files meanwhile: the next call continues one that was cut off.
 * @throws DeliveryError naming a file that Spillway did not deliver, or that was changed since
 */
export async function replaceDelivered(staged: string, target: string, old: string, known: readonly DeliveredFile[]): Promise<void> {
	if (await exists(old)) {
		if (await exists(target)) await deleteDelivered(old, known);
		else await rename(old, target);
	}
	if (!(await exists(target))) return rename(staged, target);
	const { other } = await compare(target, known);
	if (other !== undefined)
		throw new DeliveryError(
			`the folder has ${JSON.stringify(other)}, which Spillway did not deliver or which was changed; move it away, or choose another folder`,
		);
	await rename(target, old);
	await rename(staged, target).catch(async (error: unknown) => {
		await rename(old, target);
		throw error;
	});
	await deleteDelivered(old, known);
}

/** Deletes delivered files and then empty folders. Files that a person added in the meantime stay. */
async function deleteDelivered(folder: string, known: readonly DeliveredFile[]): Promise<void> {
	const { delivered, folders } = await compare(folder, known);
	for (const file of delivered) await rm(path.join(folder, file), { force: true });
	for (const name of [...folders.sort().reverse(), ""]) await rmdir(path.join(folder, name)).catch(() => {});
}

interface Comparison {
	delivered: string[];
	folders: string[];
	/** A file that Spillway did not deliver, or that was changed since. */
	other?: string;
}

/** Reads each file that has the size of a delivered one. */
async function compare(folder: string, known: readonly DeliveredFile[]): Promise<Comparison> {
	const byPath = Map.groupBy(known, (file) => file.path);
	const result: Comparison = { delivered: [], folders: [] };
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
		const name = path.relative(folder, path.join(entry.parentPath, entry.name));
		if (entry.isDirectory()) result.folders.push(name);
		else if (entry.isFile() && (await isOneOf(path.join(folder, name), byPath.get(name) ?? []))) result.delivered.push(name);
		else result.other ??= name;
	}
	return result;
}

async function isOneOf(file: string, known: readonly DeliveredFile[]): Promise<boolean> {
	const { size } = await lstat(file);
	const candidates = known.filter(({ bytes }) => bytes === size);
	if (candidates.length === 0) return false;
	const sum = await sumOf(file);
	return candidates.some(({ sha256 }) => sha256 === sum);
}

async function exists(file: string): Promise<boolean> {
	return (await lstat(file).catch(nullIfMissing)) !== null;
}

function nullIfMissing(error: unknown): null {
	if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
	throw error;
}
