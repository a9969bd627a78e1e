-- Opens the file of $NET, waits for the diagnostic, applies the server's code action and writes the result to $OUT.
local client = vim.lsp.start_client({ cmd = vim.split(vim.env.SERVER, "\n"), root_dir = vim.fn.fnamemodify(vim.env.NET, ":h") })
vim.cmd("edit " .. vim.fn.fnameescape(vim.env.NET))
vim.lsp.buf_attach_client(0, client)
local found = vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local lines = {}
for _, d in ipairs(vim.diagnostic.get(0)) do table.insert(lines, string.format("%d:%d %s", d.lnum, d.col, d.message)) end
if found then
  local params = { textDocument = vim.lsp.util.make_text_document_params(), context = { diagnostics = {} },
                   range = { start = { line = 2, character = 4 }, ["end"] = { line = 2, character = 4 } } }
  for _, reply in pairs(vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 10000)) do
    vim.lsp.util.apply_workspace_edit(reply.result[1].edit, "utf-16")
  end
end
vim.list_extend(lines, vim.api.nvim_buf_get_lines(0, 0, -1, false))
vim.fn.writefile(lines, vim.env.OUT)
vim.lsp.stop_client(client)
vim.cmd("qall!")
