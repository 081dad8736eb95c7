import { operation } from "./operation.ts";

export const statement = {
	list: operation({
		method: "GET",
		path: "/statements",
		summary: "List months and the state of their statements, newest first",
		permission: "statement:read",
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/statements/{month}",
		summary: "Get a month's statement: the newest version, or a preview",
		permission: "statement:read",
		procedure: "query",
		media: ["text/csv", "application/pdf"],
	}),
	close: operation({
		method: "POST",
		path: "/statements/{month}/close",
		summary: "Close a finished month, or close it again with a reason",
		permission: "statement:close",
		status: 201,
		write: true,
		procedure: "mutation",
	}),
	sign: operation({
		method: "POST",
		path: "/statements/{month}/sign",
		summary: "Sign the newest version of a statement",
		permission: "statement:sign",
		status: 201,
		write: true,
		procedure: "mutation",
	}),
};
