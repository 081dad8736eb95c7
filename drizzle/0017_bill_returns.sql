DROP INDEX "bill_sha256";--> statement-breakpoint
CREATE INDEX "bill_sha256" ON "bill" USING btree ("sha256");