import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

interface RegionalRecord {
	region: string;
	name: string;
}

/** Resources of an emulated account that regions know by name, kept in one file of the state folder. */
export class RegionalRecords<Item extends RegionalRecord> {
	readonly #path: string;
	#items: readonly Item[];

	/** @param file without its ending */
	constructor(stateDir: string, file: string, schema: z.ZodType<Item>) {
		mkdirSync(stateDir, { recursive: true, mode: 0o700 });
		this.#path = join(stateDir, `${file}.json`);
		this.#items = existsSync(this.#path) ? z.array(schema).parse(JSON.parse(readFileSync(this.#path, "utf8"))) : [];
	}

	in(region: string): readonly Item[] {
		return this.#items.filter((item) => item.region === region);
	}

	find(region: string, name: string): Item | undefined {
		return this.#items.find((item) => item.region === region && item.name === name);
	}

	add(item: Item): void {
		this.#write([...this.#items, item]);
	}

	remove(item: Item): void {
		this.#write(this.#items.filter((other) => other !== item));
	}

	#write(items: readonly Item[]): void {
		writeFileSync(`${this.#path}.new`, JSON.stringify(items), { mode: 0o600 });
		renameSync(`${this.#path}.new`, this.#path);
		this.#items = items;
	}
}
