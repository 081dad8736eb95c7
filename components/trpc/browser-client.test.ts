import { expect, it } from "vitest";
import { browserClientOf } from "./browser-client.ts";

it("keeps data between the screens of one person, and none for the next person of the same tab", () => {
	const first = browserClientOf("usr_ada");
	first.setQueryData(["jobs"], ["of ada"]);
	expect(browserClientOf("usr_ada").getQueryData(["jobs"])).toEqual(["of ada"]);
	expect(browserClientOf("usr_ben").getQueryData(["jobs"])).toBeUndefined();
	expect(browserClientOf("usr_ada").getQueryData(["jobs"])).toBeUndefined();
	expect(first.getQueryData(["jobs"])).toBeUndefined();
});
