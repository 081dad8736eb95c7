import { expect, it } from "vitest";
import { cloudEndpointSchema } from "./cloud-endpoint.ts";

const problemsOf = (endpoint: string) => cloudEndpointSchema.safeParse(endpoint).error?.issues.map(({ message }) => message) ?? [];

it.each(["https://compute.example.com", "http://127.0.0.1:3012", "http://localhost:3012", "http://[::1]:3012"])("takes %s", (endpoint) => {
	expect(problemsOf(endpoint)).toEqual([]);
});

it.each([
	["http://compute.example.com", /plain http is allowed for an emulator on this host only/],
	["http://127.0.0.1.example.com", /plain http is allowed for an emulator on this host only/],
	["ftp://127.0.0.1", /Invalid URL/],
	["compute", /Invalid URL/],
	["", /Invalid URL/],
])("rejects %j, in one line", (endpoint, why) => {
	expect(problemsOf(endpoint)).toEqual([expect.stringMatching(why)]);
});
