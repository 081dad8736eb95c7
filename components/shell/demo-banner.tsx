import Link from "next/link";
import type { ReactNode } from "react";
import { Icon } from "#components/ui/icon.tsx";

/** Marks every screen as demo data. */
export function DemoBanner({ children }: { children?: ReactNode }) {
	return (
		<aside
			aria-label="Demo data"
			className="flex items-center justify-center gap-2 border-b bg-warn-soft px-4 py-1.5 text-xs text-warn-ink print:hidden"
		>
			<Icon name="info" className="size-3.5" />
			<p>{children ?? "Simulated demo data. No cloud account is connected; nothing here costs money."}</p>
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
