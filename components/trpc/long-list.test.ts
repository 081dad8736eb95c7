import { describe, expect, it } from "vitest";
import { isLongList } from "./long-list.ts";

const query = (data: unknown) => ({ state: { data } });

describe("isLongList", () => {
	it("holds for infinite queries with more than three pages", () => {
		expect(isLongList(query({ pages: [1, 2, 3, 4], pageParams: [] }))).toBe(true);
		expect(isLongList(query({ pages: [1, 2, 3], pageParams: [] }))).toBe(false);
	});

	it("does not hold for other queries", () => {
		for (const data of [undefined, null, [1, 2, 3, 4, 5], { pages: 12 }, { items: [1, 2, 3, 4] }])
			expect(isLongList(query(data))).toBe(false);
	});
});
