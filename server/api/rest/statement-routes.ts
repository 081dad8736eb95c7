import { formatOf, statementFile } from "#server/api/statement-file.ts";
import { closeInput, signInput } from "#server/contract/inputs/statement.ts";
import { closeMonth } from "#server/services/reporting/statement/close.ts";
import { getStatement } from "#server/services/reporting/statement/get.ts";
import { listStatements } from "#server/services/reporting/statement/list.ts";
import { signStatement } from "#server/services/reporting/statement/sign.ts";
import { numberParam, refuseUnknown, textParam } from "./query.ts";
import { ok, type Route } from "./route.ts";

const closeBody = closeInput.omit({ month: true });
const signBody = signInput.omit({ month: true });

/** Nothing sent is an empty object; anything but an object is left for the schema to refuse. */
const bodyWith = (body: unknown, month: string): unknown => {
	if (body === undefined) return { month };
	return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...body, month } : body;
};

export const statementRoutes: Route[] = [
	{
		method: "GET",
		path: "/statements",
		summary: "Months and where their statements stand, newest first; team for one team's, else the company's",
		permission: "statement:read",
		async handle(ctx, { query }) {
			refuseUnknown(query, ["team"]);
			const team = textParam(query, "team");
			return ok({ ...(await listStatements(ctx, team === undefined ? {} : { team })), nextCursor: null });
		},
	},
	{
		method: "GET",
		path: "/statements/{month}",
		summary: "The statement of a month (yyyy-mm): its newest version, or the preview of one that is not closed; format=json, csv or pdf",
		permission: "statement:read",
		async handle(ctx, { params, query, response }) {
			refuseUnknown(query, ["team", "version", "format"]);
			const version = numberParam(query, "version");
			const which = { month: params["month"] ?? "", team: textParam(query, "team") ?? "", ...(version === undefined ? {} : { version }) };
			const format = formatOf(textParam(query, "format"));
			if (format === "json") return ok(await getStatement(ctx, which));
			const file = await statementFile(ctx, { ...which, format });
			response.writeHead(200, file.headers);
			response.end(file.bytes);
			return "streamed";
		},
	},
	{
		method: "POST",
		path: "/statements/{month}/close",
		summary: "Close a month that is over: a statement of the company and of each team; again, with a reason, after corrections",
		permission: "statement:close",
		body: closeBody,
		write: true,
		async handle(ctx, { params, body }) {
			return ok(await closeMonth(ctx, closeInput.parse(bodyWith(body, params["month"] ?? ""))), 201);
		},
	},
	{
		method: "POST",
		path: "/statements/{month}/sign",
		summary: "Put your name under the newest version of a statement; sha256 is of the one that you read",
		permission: "statement:sign",
		body: signBody,
		write: true,
		async handle(ctx, { params, body }) {
			return ok(await signStatement(ctx, signInput.parse(bodyWith(body, params["month"] ?? ""))), 201);
		},
	},
];
