import { operation } from "./operation.ts";

export const audit = {
	list: operation({
		method: "GET",
		path: "/audit",
		summary: "List who changed what, when and from where, newest first",
		permission: "audit:read",
	}),
	chain: operation({
		method: "GET",
		path: "/audit/chain",
		summary: "Get the latest hash of the audit chain and its last check",
		permission: "audit:read",
		procedure: "query",
	}),
	verify: operation({
		method: "GET",
		path: "/audit/verify",
		summary: "Verify the whole audit chain; streams progress and a result",
		permission: "audit:read",
		media: ["application/x-ndjson"],
	}),
	export: operation({
		method: "GET",
		path: "/exports/audit",
		summary: "Export audit lines with their hashes",
		permission: "audit:read",
		media: ["text/csv", "application/x-ndjson"],
	}),
};
