"use client";
import { useState } from "react";
import { CloseDialog } from "#components/statements/close-dialog.tsx";
import { SignDialog } from "#components/statements/sign-dialog.tsx";
import type { StatementView } from "#components/statements/use-statement.ts";
import { Button } from "#components/ui/button.tsx";

/** Actions on the statement, depending on permissions. */
export function StatementActions({ view }: { view: StatementView }) {
	const [dialog, setDialog] = useState<"close" | "sign" | null>(null);
	const newest = view.shown !== null && view.shown.version === view.versions[0]?.version;
	const closable = view.may.close && view.over && (view.versions.length === 0 || view.state === "changed");
	return (
		<>
			<Button className="max-md:hidden" onClick={() => window.print()}>
				Print
			</Button>
			{view.may.sign && newest && (
				<Button {...(closable ? {} : { variant: "primary" as const })} onClick={() => setDialog("sign")}>
					Sign
				</Button>
			)}
			{closable && (
				<Button variant="primary" onClick={() => setDialog("close")}>
					{view.versions.length === 0 ? "Close month" : "Close again"}
				</Button>
			)}
			{dialog === "close" && <CloseDialog view={view} onClose={() => setDialog(null)} />}
			{dialog === "sign" && <SignDialog view={view} onClose={() => setDialog(null)} />}
		</>
	);
}
