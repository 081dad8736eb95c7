"use client";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";
import type { SiteKind } from "./form-values.ts";

/** The provider policy to set up first, from its documentation. */
export function LeastRights({ kind }: { kind: SiteKind }) {
	if (kind.leastRights.length === 0) return null;
	return (
		<Panel title="Minimum permissions" sub={`from ${kind.docs}`} padded>
			<div className="grid gap-2">
				{kind.leastRights.map(({ title, text }) => (
					<details key={title}>
						<summary className="cursor-pointer font-medium text-ink-2">{title}</summary>
						<div className="grid gap-2 pt-2">
							{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
							<pre tabIndex={0} className="max-h-72 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs">
								{text}
							</pre>
							<span>
								<Button
									size="sm"
									type="button"
									icon="copy"
									onClick={() => void navigator.clipboard.writeText(text).then(() => notify({ tone: "info", title: `${title}: copied` }))}
								>
									Copy
								</Button>
							</span>
						</div>
					</details>
				))}
			</div>
		</Panel>
	);
}
