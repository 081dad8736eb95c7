"use client";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";

/** The job as its file: what `spillway submit -f` would take. `yaml` is written by the server, which spares the page the library. */
export function JobFilePanel({ yaml }: { yaml: string }) {
	const [said, setSaid] = useState<"copied" | "failed" | null>(null);
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(yaml);
			setSaid("copied");
		} catch {
			setSaid("failed");
		}
	};
	return (
		<Panel
			title="Job file"
			sub="Defaults are left out"
			actions={
				<>
					<span role="status" className="text-xs">
						{said === "copied" ? "Copied" : said === "failed" ? "The browser refused to copy" : ""}
					</span>
					<Button size="sm" icon="copy" onClick={() => void copy()}>
						Copy
					</Button>
				</>
			}
		>
			<section
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
				tabIndex={0}
				aria-label="Job file"
				className="max-h-104 flex-1 overflow-auto border-t bg-sunken px-4 py-3 focus-visible:-outline-offset-2"
			>
				<pre className="font-mono text-xs leading-5">{yaml}</pre>
			</section>
		</Panel>
	);
}
