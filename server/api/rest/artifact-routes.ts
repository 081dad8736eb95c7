import { z } from "zod";
import { deleteArtifact } from "#server/services/work/artifact/delete.ts";
import { getArtifact, listArtifacts, readableArtifact } from "#server/services/work/artifact/get.ts";
import { createLink, linkInput } from "#server/services/work/artifact/link.ts";
import { openArtifactFile } from "#server/services/work/artifact/open-file.ts";
import { refuseUnknown, textParam } from "./query.ts";
import { ok, type Route } from "./route.ts";
import { sendFile } from "./send-file.ts";

const filePath = z.string({ error: "name a file of the artifact: ?path=…" }).min(1).max(1_024);

export const artifactRoutes: Route[] = [
	{
		method: "GET",
		path: "/jobs/{id}/artifacts",
		summary: "List the results of a job with their files, newest attempt first",
		permission: "artifact:read",
		handle: async (ctx, { params }) => ok({ items: await listArtifacts(ctx, params.id ?? ""), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/artifacts/{id}",
		summary: "Get a result with its files, sizes and SHA-256 sums",
		permission: "artifact:read",
		handle: async (ctx, { params }) => ok(await getArtifact(ctx, params.id ?? "")),
	},
	{
		method: "GET",
		path: "/artifacts/{id}/content",
		summary: "Download one file of a result; accepts one byte range",
		permission: "artifact:read",
		answers: "application/octet-stream",
		async handle(ctx, { params, query, raw, response, signal }) {
			await readableArtifact(ctx, params.id ?? "");
			refuseUnknown(query, ["path"]);
			const path = filePath.parse(textParam(query, "path"));
			const file = await openArtifactFile(ctx, ctx.artifactStore.root, { id: params.id ?? "", path });
			await sendFile(raw, response, file, signal);
			return "streamed";
		},
	},
	{
		method: "POST",
		path: "/artifacts/{id}/links",
		summary: "Create a link that downloads one file of a result without a token, for at most an hour",
		permission: "artifact:read",
		body: linkInput,
		async handle(ctx, { params, body }) {
			await readableArtifact(ctx, params.id ?? "");
			const { token, expiresAt } = await createLink(ctx, ctx.artifactStore, params.id ?? "", linkInput.parse(body));
			return ok({ url: `/api/v1/downloads/${token}`, expiresAt }, 201);
		},
	},
	{
		method: "DELETE",
		path: "/artifacts/{id}",
		summary: "Delete the files of a result; its record stays as lineage",
		permission: "artifact:delete",
		write: true,
		async handle(ctx, { params }) {
			await deleteArtifact(ctx, ctx.artifactStore.root, params.id ?? "");
			return ok({ id: params.id ?? "", deleted: true });
		},
	},
];
