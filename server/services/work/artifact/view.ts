import { monthlyStorageMicroUsd } from "#server/accounting/storage-cost.ts";
import type { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import type { OutputKind } from "#server/domain/output.ts";
import type { StorePrice } from "#server/services/pricing/store/prices.ts";
import type { DeliveryView } from "./delivery.ts";

/** One result of a job, as the contract describes it. */
export interface ArtifactDetail {
	id: string;
	jobId: string;
	attemptId: string;
	/** The MLflow run that logged it; null for a declared output. */
	runId: string | null;
	team: string;
	name: string;
	kind: OutputKind;
	files: number;
	bytes: number;
	digest: string;
	createdAt: string;
	expiresAt: string | null;
	deletedAt: string | null;
	/** Copies to the destinations that the job names. */
	deliveries: DeliveryView[];
	storeId: string | null;
	/** Storage cost per month at the store's price; null when no price is set. "0" once deleted. */
	microUsdPerMonth: string | null;
	fileList: { path: string; bytes: number; sha256: string; mediaType: string }[];
}

export function artifactView(
	row: typeof artifact.$inferSelect,
	files: readonly (typeof artifactFile.$inferSelect)[],
	deliveries: readonly DeliveryView[],
	price: Pick<StorePrice, "microUsdPerGiBMonth"> | undefined,
): ArtifactDetail {
	const { bytes, createdAt, expiresAt, deletedAt, residency: _, meteredUntil: _metered, ...rest } = row;
	return {
		...rest,
		bytes: Number(bytes),
		microUsdPerMonth: deletedAt !== null ? "0" : monthlyText(bytes, price?.microUsdPerGiBMonth ?? null),
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

function monthlyText(bytes: bigint, microUsdPerGiBMonth: bigint | null): string | null {
	return microUsdPerGiBMonth === null ? null : monthlyStorageMicroUsd(bytes, microUsdPerGiBMonth).toString();
}
