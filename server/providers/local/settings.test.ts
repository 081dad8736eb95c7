import { expect, it } from "vitest";
import { assertLocalSiteAllowed } from "./settings.ts";

it.each(["127.0.0.1", "127.9.8.7", "::1", "[::1]", "localhost"])("allows the local site on %s", (host) => {
	expect(() => assertLocalSiteAllowed(host)).not.toThrow();
});

it.each(["0.0.0.0", "::", "192.168.1.4", "spillway.example", "127.0.0.1.example", ""])("rejects the local site on %s", (host) => {
	expect(() => assertLocalSiteAllowed(host)).toThrow(/only for loopback/);
});
