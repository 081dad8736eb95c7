"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { ACTIVE_POLICY } from "#components/policies/params.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Panel } from "#components/ui/panel.tsx";

/** Every version, newest first. They never change; which one is in force does. */
export function VersionsPanel() {
	const trpc = useTRPC();
	const { data: policy } = useSuspenseQuery(trpc.policy.get.queryOptions(ACTIVE_POLICY));
	return (
		<Panel title="Versions" sub="never changed, only followed">
			<ol>
				{policy.versions.map((v) => (
					<li
						key={v.version}
						className="hairline-b grid grid-cols-[2rem_minmax(0,1fr)_auto] gap-x-3 gap-y-0.5 px-4 py-2.75 last:border-b-0"
					>
						<b className="tabular font-semibold">{v.version}</b>
						<span className={v.version === policy.version ? "font-strong text-ok-ink" : "text-ink-3"}>
							{v.version === policy.version ? "In force" : "Before"}
						</span>
						<span className="text-ink-3">
							{authorOf(v.author)}, <Time atMs={Date.parse(v.createdAt)} form="short" />
						</span>
						<span className="col-start-2 -col-end-1 text-pretty text-ink-2">{v.message || "No message"}</span>
					</li>
				))}
			</ol>
		</Panel>
	);
}

/** "account:usr_…" and "system:seed" as they are kept, for people. */
function authorOf(author: string): string {
	const [kind, name = author] = author.split(":");
	return kind === "system" ? "the installation" : name;
}
