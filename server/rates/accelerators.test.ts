import { describe, expect, it } from "vitest";
import { ACCELERATOR_NAMES, accelerator, acceleratorsNamed, listAccelerators, resolveAlias } from "./accelerators.ts";

describe("accelerators", () => {
	it("have each canonical name, with the memory that the name states, power and its source", () => {
		expect(
			listAccelerators()
				.map((a) => a.name)
				.sort(),
		).toEqual([...ACCELERATOR_NAMES].sort());
		for (const name of ACCELERATOR_NAMES) {
			const board = accelerator(name);
			expect(name.endsWith(`-${board.memoryGiB}GB`)).toBe(true);
			expect(board.boardWatts).toBeGreaterThanOrEqual(70);
			expect(board.boardWatts).toBeLessThanOrEqual(1200);
			expect(board.boardWattsSource).toMatch(/^https?:\/\/|techpowerup/);
			if (board.minWatts !== null && board.maxWatts !== null) expect(board.minWatts).toBeLessThan(board.maxWatts);
		}
	});

	it.each([
		["H100", "H100-80GB"],
		["h100-80gb", "H100-80GB"],
		["NVIDIA A100-SXM4-80GB", "A100-80GB"],
		["nvidia-tesla-t4", "T4-16GB"],
		["NVIDIA_L4", "L4-24GB"],
	])("reads %s as %s", (alias, name) => {
		expect(resolveAlias(alias)).toBe(name);
	});

	it("return every model for a name without its memory, and do not guess one", () => {
		expect(resolveAlias("A100")).toBeNull();
		expect(acceleratorsNamed("a100")).toEqual(["A100-80GB", "A100-40GB"]);
		expect(acceleratorsNamed("Voodoo2")).toEqual([]);
	});

	it("never share an alias between two models", () => {
		const keys = listAccelerators().flatMap((a) => [...new Set([a.name, ...a.aliases].map((alias) => alias.toLowerCase()))]);
		expect(new Set(keys).size).toBe(keys.length);
	});
});
