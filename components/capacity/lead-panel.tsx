"use client";
import { prepareCapacityLead } from "#components/capacity/lead.ts";
import { type OfferFilter, offersQuery } from "#components/capacity/params.ts";
import { Lead } from "#components/page/page-header.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

export function CapacityLead({ filter }: { filter: OfferFilter }) {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const { data: offers } = useSuspenseQuery(trpc.offer.list.queryOptions(offersQuery(filter)));
	const open = offers.items.find((o) => o.microUsdPerHour !== null && o.backoffUntil === null) ?? null;
	return (
		<Lead>
			{prepareCapacityLead(sites, open, filter.gpus).map((part, i) =>
				part.strong ? (
					// biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence have no name but their place.
					<b key={i}>{part.text}</b>
				) : (
					part.text
				),
			)}
		</Lead>
	);
}
