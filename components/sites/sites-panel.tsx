"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button, ButtonLink, IconButton } from "#components/ui/button.tsx";
import { Chip, Health } from "#components/ui/chip.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { notify } from "#components/ui/toast.tsx";
import { describeSource } from "./describe-source.ts";
import type { SiteSettings } from "./form-values.ts";
import { PricePool } from "./price-pool.tsx";

/** All sites with their actions. */
export function SitesPanel() {
	const trpc = useTRPC();
	const { data: sites } = useSuspenseQuery(trpc.site.settings.queryOptions());
	const { data: kinds } = useSuspenseQuery(trpc.site.kinds.queryOptions());
	if (sites.length === 0) {
		return (
			<EmptyState icon="capacity" title="No sites connected">
				Add an owned cluster or a cloud account. Adding one costs nothing.
			</EmptyState>
		);
	}
	return (
		<ul>
			{sites.map((site) => (
				<SiteLine key={site.id} site={site} canEdit={kinds.some(({ provider }) => provider === site.provider)} />
			))}
		</ul>
	);
}

function SiteLine({ site, canEdit }: { site: SiteSettings; canEdit: boolean }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [asked, setAsked] = useState<"disable" | "remove" | null>(null);
	const settled = {
		onSettled: () => void client.invalidateQueries({ queryKey: trpc.site.pathKey() }),
		onError: (error: unknown) =>
			notify({ tone: "failed" as const, title: "Could not change the site", detail: describeError(error).detail }),
		onSuccess: () => setAsked(null),
	};
	const change = useMutation(trpc.site.change.mutationOptions(settled));
	const remove = useMutation(trpc.site.remove.mutationOptions(settled));
	const local = site.provider === "local";
	return (
		<li className="hairline-b flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2.5 last:border-b-0">
			<div className="min-w-0 flex-1 basis-72">
				<p className="flex flex-wrap items-center gap-2">
					<b className="font-semibold">{site.name}</b>
					<span className="text-ink-3">{site.id === site.provider ? site.id : `${site.id}, ${site.provider}`}</span>
					{site.enabled ? (
						<Health tone={site.healthy ? "ok" : "risk"}>{site.healthy ? "reachable" : "unreachable"}</Health>
					) : (
						<Chip>disabled</Chip>
					)}
				</p>
				{site.healthMessage && <p className="text-pretty break-words text-ink-2">{site.healthMessage}</p>}
				{!local && (
					<p className="text-xs text-ink-3">
						Credentials {describeSource(site.credentials.source)}
						{site.credentials.changedAt && (
							<>
								, since <Time atMs={Date.parse(site.credentials.changedAt)} />
							</>
						)}
					</p>
				)}
				{site.unpricedPools.map((pool) => (
					<PricePool key={pool.id} siteId={site.id} pool={pool} />
				))}
			</div>
			<span className="flex items-center gap-1.5">
				{canEdit && (
					<ButtonLink size="sm" href={`/settings/sites/${site.id}`} aria-label={`Edit ${site.name}`}>
						Edit
					</ButtonLink>
				)}
				<Button
					size="sm"
					busy={change.isPending}
					onClick={() => (site.enabled ? setAsked("disable") : change.mutate({ id: site.id, enabled: true }))}
					aria-label={`${site.enabled ? "Disable" : "Enable"} ${site.name}`}
				>
					{site.enabled ? "Disable" : "Enable"}
				</Button>
				{!local && <IconButton size="sm" icon="x" label={`Remove ${site.name}`} onClick={() => setAsked("remove")} />}
			</span>
			<Dialog
				open={asked === "disable"}
				onClose={() => setAsked(null)}
				title={`Disable ${site.name}?`}
				description="No new jobs are placed there. Running jobs finish and their machines are terminated as usual."
				actions={
					<>
						<Button onClick={() => setAsked(null)}>Keep</Button>
						<Button variant="danger" busy={change.isPending} onClick={() => change.mutate({ id: site.id, enabled: false })}>
							Disable
						</Button>
					</>
				}
			/>
			<Dialog
				open={asked === "remove"}
				onClose={() => setAsked(null)}
				title={`Remove ${site.name}?`}
				description="The site must be disabled and without running machines. Its credentials are deleted; its charges stay."
				actions={
					<>
						<Button onClick={() => setAsked(null)}>Keep</Button>
						<Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate({ id: site.id })}>
							Remove
						</Button>
					</>
				}
			/>
		</li>
	);
}
