import type { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import type { OutputKind } from "#server/domain/output.ts";
import type { DeliveryView } from "./delivery.ts";

/** One result of a job, as the contract describes it. */
export interface ArtifactDetail {
	id: string;
	jobId: string;
	attemptId: string;
	team: string;
	name: string;
	kind: OutputKind;
	files: number;
	bytes: number;
	digest: string;
	createdAt: string;
	expiresAt: string | null;
	deletedAt: string | null;
	/** Copies to the places that the job names. */
	deliveries: DeliveryView[];
	storeId: string | null;
	fileList: { path: string; bytes: number; sha256: string; mediaType: string }[];
}

export function artifactView(
	row: typeof artifact.$inferSelect,
	files: readonly (typeof artifactFile.$inferSelect)[],
	deliveries: readonly DeliveryView[],
): ArtifactDetail {
	const { bytes, createdAt, expiresAt, deletedAt, residency: _, ...rest } = row;
	return {
		...rest,
		bytes: Number(bytes),
		createdAt: createdAt.toISOString(),
		expiresAt: expiresAt?.toISOString() ?? null,
		deletedAt: deletedAt?.toISOString() ?? null,
		deliveries: deliveries.map(({ target, state, failures, error, nextAt, deliveredAt }) => ({
			target,
			state,
			failures,
			error,
			nextAt,
			deliveredAt,
		})),
		fileList: files.map((file) => ({ path: file.path, bytes: Number(file.bytes), sha256: file.sha256, mediaType: file.mediaType })),
	};
}
