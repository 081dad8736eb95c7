"use client";
import { type ReactNode, useState } from "react";
import { DEMO_BANNER_COOKIE } from "#components/shell/demo-banner-cookie.ts";
import { IconButton } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";

const HIDE_SECONDS = 30 * 24 * 3_600;

/** Lists the simulated parts of the demo, until it is dismissed in this browser. */
export function DemoBanner({ children }: { children: ReactNode }) {
	const [isOpen, setIsOpen] = useState(true);
	if (!isOpen) return null;
	const dismiss = () => {
		// biome-ignore lint/suspicious/noDocumentCookie: the server omits the banner by this cookie; Firefox lacks the Cookie Store API.
		document.cookie = `${DEMO_BANNER_COOKIE}=hidden; path=/; max-age=${HIDE_SECONDS}; samesite=lax`;
		setIsOpen(false);
	};
	return (
		<aside
			aria-label="Demo data"
			className="flex items-center justify-center gap-2 border-b bg-warn-soft px-4 py-1 text-xs text-warn-ink print:hidden"
		>
			<Icon name="info" className="size-3.5 flex-none" />
			<p>{children}</p>
			<IconButton icon="x" label="Dismiss" size="sm" onClick={dismiss} />
		</aside>
	);
}

/** Leads administrators back to an unfinished set-up. */
export function SetupBanner({ steps }: { steps: number }) {
	return (
		<aside
			aria-label="Set-up"
			className="flex items-center justify-center gap-2 border-b bg-warn-soft px-4 py-1.5 text-xs text-warn-ink print:hidden"
		>
			<Icon name="info" className="size-3.5" />
			<p>
				{steps === 1 ? "One set-up step is" : `${steps} set-up steps are`} open.{" "}
				<Link href="/setup" className="underline underline-offset-3">
					Resume set-up
				</Link>
			</p>
		</aside>
	);
}
