"use client";
import { useSearchParams } from "next/navigation";
import { lazy, Suspense } from "react";
import type { SpendView } from "#components/spend/view.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

/** Loaded only where reports are in another currency. */
const CurrencyPanel = lazy(() => import("./currency-panel.tsx").then((module) => ({ default: module.CurrencyPanel })));

/** The breakdown in the reporting currency or that of `?currency=`; absent where reports are in US dollars. */
export function CurrencySlot({ view }: { view: SpendView }) {
	const trpc = useTRPC();
	const { data: known } = useSuspenseQuery(trpc.currency.get.queryOptions());
	const asked = useSearchParams().get("currency");
	if (known.currency === "USD" && asked === null) return null;
	return (
		<Suspense>
			<CurrencyPanel view={view} />
		</Suspense>
	);
}
