"use client";
import { useEffect, useRef } from "react";
import { useMarking } from "#components/policies/marking.tsx";
import { ACTIVE_POLICY, lineAnchor } from "#components/policies/params.ts";
import { prepareRules } from "#components/policies/rules.ts";
import { YamlLines } from "#components/policies/yaml-lines.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";

/** The active policy's text; lines of the hovered sentence are highlighted. */
export function YamlPanel() {
	const trpc = useTRPC();
	const { data: policy } = useSuspenseQuery(trpc.policy.get.queryOptions(ACTIVE_POLICY));
	const { marked, mark } = useMarking();
	const box = useRef<HTMLElement>(null);
	const cards = prepareRules(policy).flatMap((g) => g.cards);
	const lines = cards.find((c) => c.id === marked)?.lines ?? null;
	const from = lines?.from ?? null;

	// Scrolls the box only; the page must not move.
	useEffect(() => {
		const line = from === null ? null : document.getElementById(lineAnchor(from));
		if (!box.current || !line) return;
		const { scrollTop, clientHeight } = box.current;
		if (line.offsetTop < scrollTop || line.offsetTop > scrollTop + clientHeight - 60) box.current.scrollTo({ top: line.offsetTop - 40 });
	}, [from]);

	const copy = async () => {
		try {
			await navigator.clipboard.writeText(policy.source);
			notify({ tone: "done", title: "Policy copied" });
		} catch {
			notify({ tone: "failed", title: "Could not copy", detail: "Select the text and copy it manually." });
		}
	};
	return (
		<Panel
			title="YAML"
			sub={`version ${policy.version}, as published`}
			actions={
				<Button size="sm" icon="copy" onClick={copy}>
					Copy
				</Button>
			}
			className="rail:sticky rail:top-[calc(var(--header-h)+1rem)]"
		>
			<section
				ref={box}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
				tabIndex={0}
				aria-label="Policy YAML"
				onPointerLeave={() => mark(null)}
				className="relative overflow-auto border-t bg-sunken py-2 focus-visible:-outline-offset-2 rail:max-h-[calc(100dvh-9rem)]"
			>
				<YamlLines
					source={policy.source}
					marked={lines}
					onPoint={(line) => mark(cards.find((c) => c.lines && c.lines.from <= line && line <= c.lines.to)?.id ?? null)}
				/>
			</section>
		</Panel>
	);
}
