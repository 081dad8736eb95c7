import { expect, it } from "vitest";
import { cookiesFor } from "./cookies.ts";

it("uses __Host- cookies with https, which no other host can set or read", () => {
	const { useSecureCookies, cookies } = cookiesFor("https://spillway.example.com/base");
	expect(useSecureCookies).toBe(true);
	const all = Object.values(cookies ?? {});
	expect(all.length).toBeGreaterThan(0);
	for (const cookie of all) {
		expect(cookie.name).toMatch(/^__Host-/);
		expect(cookie.options).toEqual({ httpOnly: true, sameSite: "lax", path: "/", secure: true });
	}
});

it("keeps the names that browsers accept on plain http", () => {
	expect(cookiesFor("http://127.0.0.1:3000")).toEqual({ useSecureCookies: false });
});
