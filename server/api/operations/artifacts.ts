import { artifact } from "#server/contract/artifact.ts";
import { linkInput } from "#server/contract/inputs/artifact.ts";
import { deleteArtifact } from "#server/services/work/artifact/delete.ts";
import { getArtifact, listArtifacts, readableArtifact } from "#server/services/work/artifact/get.ts";
import { artifactLineage } from "#server/services/work/artifact/lineage.ts";
import { createLink } from "#server/services/work/artifact/link.ts";
import { openArtifactFile } from "#server/services/work/artifact/open-file.ts";
import { retryDelivery } from "#server/services/work/artifact/retry-delivery.ts";
import { sendFile } from "../http/send-file.ts";
import { bind, bindRest } from "./bind.ts";

export const artifactOperations = {
	list: bind(artifact.list, (ctx, { id }) => listArtifacts(ctx, id)),
	get: bind(artifact.get, (ctx, { id }) => getArtifact(ctx, id)),
	lineage: bind(artifact.lineage, (ctx, { id }) => artifactLineage(ctx, id)),
	deliver: bind(artifact.deliver, (ctx, { id }) => retryDelivery(ctx, id)),
	download: bindRest(artifact.download, async (ctx, input, { raw, response, signal }) => {
		await readableArtifact(ctx, input.id);
		const file = await openArtifactFile(ctx, ctx.artifactStore, artifact.download.input.parse(input));
		await sendFile(raw, response, file, signal);
		return "streamed";
	}),
	createLink: bind(artifact.createLink, async (ctx, { id, ...link }) => {
		await readableArtifact(ctx, id);
		const { token, expiresAt } = await createLink(ctx, ctx.artifactStore, id, linkInput.parse(link));
		return { url: `/api/v1/downloads/${token}`, expiresAt };
	}),
	delete: bind(artifact.delete, async (ctx, { id }) => {
		await deleteArtifact(ctx, ctx.artifactStore, id);
		return { id, deleted: true as const };
	}),
};
