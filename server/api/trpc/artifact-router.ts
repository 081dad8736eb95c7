import path from "node:path";
import { z } from "zod";
import { runtime } from "#server/services/runtime.ts";
import { deleteArtifact } from "#server/services/work/artifact/delete.ts";
import { listArtifacts } from "#server/services/work/artifact/get.ts";
import { createLink, linkInput } from "#server/services/work/artifact/link.ts";
import { procedure, router } from "./init.ts";

const id = z.string().min(1).max(64);

function artifactStore(): { root: string; secretKey: string } {
	const { SPILLWAY_HOME, SPILLWAY_SECRET } = runtime().env;
	return { root: path.join(SPILLWAY_HOME, "artifacts"), secretKey: SPILLWAY_SECRET };
}

export const artifactRouter = router({
	list: procedure.input(z.strictObject({ id })).query(({ ctx, input }) => listArtifacts(ctx.service, input.id)),
	createLink: procedure.input(linkInput.extend({ id })).mutation(async ({ ctx, input: { id: artifactId, ...link } }) => {
		const { token, expiresAt } = await createLink(ctx.service, artifactStore(), artifactId, link);
		return { url: `/api/v1/downloads/${token}`, expiresAt };
	}),
	delete: procedure.input(z.strictObject({ id })).mutation(({ ctx, input }) => deleteArtifact(ctx.service, artifactStore().root, input.id)),
});
