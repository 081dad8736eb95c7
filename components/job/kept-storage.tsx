import { Money } from "#components/money/money.tsx";
import { Time } from "#components/time/relative-time.tsx";
import type { ReceiptView } from "#components/trpc/outputs.ts";
import { formatBytes } from "./job-checkpoints.tsx";

/** Monthly cost of keeping a job's results, below its receipt. */
export function KeptStorage({ kept }: { kept: NonNullable<ReceiptView["kept"]> }) {
	const { bytes, unpricedBytes, microUsdPerMonth, untilMs } = kept;
	const unpriced = unpricedBytes > 0n && (
		<> No storage price is set{unpricedBytes < bytes && ` for ${formatBytes(Number(unpricedBytes))} of it`}.</>
	);
	return (
		<p className="border-t px-4 py-2.5 text-xs text-pretty text-ink-3">
			Kept results: {formatBytes(Number(bytes))}
			{unpricedBytes < bytes && (
				<>
					, <Money value={microUsdPerMonth} kind="price" /> a month
				</>
			)}{" "}
			{untilMs === null ? (
				"until deleted"
			) : (
				<>
					until <Time atMs={untilMs} form="short" />
				</>
			)}
			.{unpriced}
		</p>
	);
}
