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
