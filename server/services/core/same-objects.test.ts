import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSame, SameObjects } from "./same-objects.ts";

describe("equal objects", () => {
	it("are replaced by the previous ones, and others stay as they are", () => {
		const same = new SameObjects<{ id: string; price: bigint; slots: number[] }>(({ id }) => id);
		const first = same.keep([
			{ id: "a", price: 1n, slots: [1, 2] },
			{ id: "b", price: 2n, slots: [] },
		]);
		const second = same.keep([
			{ id: "b", price: 3n, slots: [] },
			{ id: "a", price: 1n, slots: [1, 2] },
		]);
		expect(second).toEqual([
			{ id: "b", price: 3n, slots: [] },
			{ id: "a", price: 1n, slots: [1, 2] },
		]);
		expect(second[1]).toBe(first[0]);
		expect(second[0]).not.toBe(first[1]);
	});

	it("are compared by every fact, however deep", () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
				expect(isSame(a, structuredClone(a))).toBe(true);
				expect(isSame({ x: a, n: 1n }, { x: structuredClone(a), n: 2n })).toBe(false);
				// JSON has no -0 and orders no fields: equal text is equal data
				if (JSON.stringify(a) !== JSON.stringify(b)) expect(isSame(a, b)).toBe(isSame(b, a));
			}),
		);
		expect(isSame({ a: 1 }, { a: 1, b: undefined })).toBe(false);
		expect(isSame([1], { 0: 1 })).toBe(false);
		expect(isSame({ a: null }, { a: {} })).toBe(false);
	});
});
