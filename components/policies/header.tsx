"use client";
import { Lead } from "#components/page/page-header.tsx";
import { ACTIVE_POLICY } from "#components/policies/params.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";

/** The active version, its date and author. */
export function PolicyLead({ canEdit }: { canEdit: boolean }) {
	const trpc = useTRPC();
	const { data: policy } = useSuspenseQuery(trpc.policy.get.queryOptions(ACTIVE_POLICY));
	return (
		<Lead>
			<b>
				Version {policy.version} of {policy.name} is active
			</b>{" "}
			since <Time atMs={Date.parse(policy.publishedAt)} form="short" />. {policy.message && <>“{policy.message}”. </>}
			{!canEdit && "Only platform engineers can edit."}
		</Lead>
	);
}
