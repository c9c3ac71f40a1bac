// Reads an AsyncAPI document with AsyncAPI's own parser, and writes the types that its
// generator of models makes of it as TypeScript into a folder. Prints what the parser
// remarked, how many messages it found, and the names of the types.
"use strict";

const fs = require("fs");
const path = require("path");
const { Parser } = require("@asyncapi/parser");
const { TypeScriptGenerator } = require("@asyncapi/modelina");

async function main() {
  const [source, folder] = process.argv.slice(2);
  const { document, diagnostics } = await new Parser().parse(fs.readFileSync(source, "utf8"), { source });
  const remarks = diagnostics.map(({ code, message, path: at }) => ({ code, message, at: at.join("/") }));
  const found = { remarks, messages: [], models: [] };
  if (document) {
    found.messages = document.components().messages().all().map((message) => message.name());
    const models = await new TypeScriptGenerator({ modelType: "interface" }).generateCompleteModels(document, { moduleSystem: "ESM" });
    for (const model of models) {
      fs.writeFileSync(path.join(folder, `${model.modelName}.ts`), model.result);
      found.models.push(model.modelName);
    }
  }
  console.log(JSON.stringify(found));
}

main().catch((failed) => {
  console.error(failed);
  process.exit(1);
});
