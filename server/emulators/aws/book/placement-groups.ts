import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const groupSchema = z.strictObject({
	region: z.string(),
	name: z.string(),
	strategy: z.enum(["cluster", "spread"]),
	tags: z.record(z.string(), z.string()),
});
export type PlacementGroupRecord = z.infer<typeof groupSchema>;

/** The account's placement groups, kept in one file of the state folder. */
export class PlacementGroups {
	readonly #path: string;
	#groups: PlacementGroupRecord[];

	constructor(stateDir: string) {
		mkdirSync(stateDir, { recursive: true, mode: 0o700 });
		this.#path = join(stateDir, "placement-groups.json");
		this.#groups = existsSync(this.#path) ? z.array(groupSchema).parse(JSON.parse(readFileSync(this.#path, "utf8"))) : [];
	}

	in(region: string): readonly PlacementGroupRecord[] {
		return this.#groups.filter((group) => group.region === region);
	}

	find(region: string, name: string): PlacementGroupRecord | undefined {
		return this.#groups.find((group) => group.region === region && group.name === name);
	}

	add(group: PlacementGroupRecord): void {
		this.#write([...this.#groups, group]);
	}

	remove(group: PlacementGroupRecord): void {
		this.#write(this.#groups.filter((other) => other !== group));
	}

	#write(groups: PlacementGroupRecord[]): void {
		writeFileSync(`${this.#path}.new`, JSON.stringify(groups), { mode: 0o600 });
		renameSync(`${this.#path}.new`, this.#path);
		this.#groups = groups;
	}
}
