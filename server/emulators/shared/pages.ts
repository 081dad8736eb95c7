import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";

/**
 * The pages of an emulated cloud's records and the folders of its machines, in one state folder. Pages are written with a rename:
 * after `kill -9` a launch exists with all its instances or not at all.
 */
export class Pages<Page> {
	readonly #bookDir: string;
	readonly #instancesDir: string;
	readonly #schema: z.ZodType<Page>;

	constructor(stateDir: string, schema: z.ZodType<Page>) {
		this.#bookDir = join(stateDir, "book");
		this.#instancesDir = join(stateDir, "instances");
		this.#schema = schema;
		mkdirSync(this.#bookDir, { recursive: true, mode: 0o700 });
		mkdirSync(this.#instancesDir, { recursive: true, mode: 0o700 });
	}

	readAll(): Page[] {
		const names = readdirSync(this.#bookDir).filter((name) => name.endsWith(".json"));
		return names.map((name) => this.#read(join(this.#bookDir, name)));
	}

	/** `name` becomes a file name and may contain letters, digits and hyphens. */
	write(name: string, page: Page): void {
		const path = join(this.#bookDir, `${name}.json`);
		writeFileSync(`${path}.new`, JSON.stringify(page), { mode: 0o600 });
		renameSync(`${path}.new`, path);
	}

	remove(name: string, instanceIds: readonly string[]): void {
		for (const instanceId of instanceIds) rmSync(this.folderOf(instanceId), { recursive: true, force: true });
		rmSync(join(this.#bookDir, `${name}.json`));
	}

	/** A machine's folder, with its user-data, its console and its own files. Created at boot. */
	folderOf(instanceId: string): string {
		return join(this.#instancesDir, instanceId);
	}

	#read(path: string): Page {
		try {
			return this.#schema.parse(JSON.parse(readFileSync(path, "utf8")));
		} catch (cause) {
			throw new Error(`The emulated cloud's book has an unreadable page: ${path}. Move it away to start without that launch.`, { cause });
		}
	}
}
