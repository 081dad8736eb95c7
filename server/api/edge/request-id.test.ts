import { expect, it } from "vitest";
import { requestIdOf } from "./request-id.ts";

it("keeps the caller's id, and creates one if it is missing or could forge a log line", () => {
	expect(requestIdOf({ headers: { "x-request-id": "proxy-7f3a.12" } })).toBe("proxy-7f3a.12");
	for (const bad of [undefined, "", "short", 'a"b\nforged line', "x".repeat(129)])
		expect(requestIdOf({ headers: { "x-request-id": bad } })).toMatch(/^[0-9a-f-]{36}$/);
});
