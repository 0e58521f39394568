package scripttest

// Greedy are scripts that make as much as they can, each in another way. They use tables, closures,
// coroutines, errors, replies, the stack, and the functions of the libraries that make most.
var Greedy = map[string]string{
	"cmsgpack nils":                `return #{cmsgpack.unpack(string.rep("\192",1e7))}`,
	"cmsgpack empty arrays":        `return #{cmsgpack.unpack(string.rep("\144",1e7))}`,
	"cmsgpack array of nils":       `return #cmsgpack.unpack("\221\0\152\150\128"..string.rep("\192",1e7))`,
	"cmsgpack array of empty maps": `return #cmsgpack.unpack("\221\0\152\150\128"..string.rep("\128",1e7))`,
	"cmsgpack array of ints":       `return #cmsgpack.unpack("\221\0\15\255\0"..string.rep("\1",1048320))`,
	"cmsgpack floats": `return #cmsgpack.unpack("\221\0\15\255\0"..
		string.rep("\203\1\2\3\4\5\6\7\8",1048320))`,
	"cmsgpack strs": `return #{cmsgpack.unpack(string.rep("\161a",1e7))}`,
	"cmsgpack map": `local t={} for i=1,2e5 do t[i*1.5]=i end local s=cmsgpack.pack(t) t=nil local r={} for
		i=1,100 do r[i]=cmsgpack.unpack(s) end return 1`,
	"cmsgpack pack": `local s=string.rep("x",1e6) local t={} for i=1,200 do t[i]=s end return
		#cmsgpack.pack(unpack(t))`,
	"rep":           `return #string.rep("x",2.6e8)`,
	"rep reply":     `return string.rep("x",2e8)`,
	"rep many":      `local t={} for i=1,1e9 do t[i]=string.rep("x",32769) end`,
	"rep many 4097": `local t={} for i=1,1e9 do t[i]=string.rep("x",4097) end`,
	"rep 33":        `local t={} for i=1,1e9 do t[i]=string.rep("x",33) end`,
	"rep 1":         `local t={} for i=1,1e9 do t[i]=string.rep("x",1) end`,
	"concat":        `local s="x" while true do s=s..s end`,
	"concat num":    `local t={} for i=1,1e9 do t[i]=i..i end`,
	"concat num one": `local a=1e-300/7 local t={}
		for i=1,1e9 do t[i]=a..a..a..a..a..a..a..a..a..a..a..a end`,
	"tostring":       `local t={} for i=1,1e9 do t[i]=tostring(i/7) end`,
	"tostring table": `local t={} for i=1,1e9 do t[i]=tostring(t) end`,
	"reverse":        `local s=string.rep("x",1e8) return #s:reverse()`,
	"lower":          `local s=string.rep("x",8e7) return #s:lower()`,
	"sub hold":       `local t={} for i=1,300 do t[i]=string.rep("x",1e6):sub(1,1) end`,
	"sub many":       `local s=string.rep("x",1e6) local t={} for i=1,1e9 do t[i]=s:sub(1,9) end`,
	"char":           `local t={} for i=1,1e9 do t[i]=string.char(1,2,3,4,5,6,7,8,9) end`,
	"byte": `local s=string.rep("x",7000) local t={}
		for i=1,1e9 do t[i]={s:byte(1,7000)} end`,
	"format s":       `local s=string.rep("x",6e7) return #string.format("%s%s%s",s,s,s)`,
	"format q":       `local s=string.rep("\0",6e7) return #string.format("%q",s)`,
	"format d":       `return #string.format(string.rep("%99d",5000),unpack({},1,5000))`,
	"format long":    `return #string.format(string.rep("a",2e8))`,
	"format long2":   `local s=string.rep("a",1e8) return #string.format(s)`,
	"format short s": `local s=string.rep("x",1e8) return #string.format("%.10s",s)`,
	"gsub":           `return #(string.rep("x",1e7)):gsub("x","xxxxxxxxxxxxxxxxxxxxxxxxxx")`,
	"gsub fn": `return #(string.rep("x",1e6)):gsub("x",function()
		return string.rep("y",200) end)`,
	"gsub cap":    `return #(string.rep("x",2e6)):gsub("((((((((x))))))))","%1%2%3%4%5%6%7%8%1%2%3%4")`,
	"gsub fn cap": `return #(string.rep("x",2e6)):gsub("((((((((((x))))))))))",function() end)`,
	"gmatch": `local n=0
		for a,b,c in (string.rep("x",1e8)):gmatch("((x)()" .. ")") do n=n+1 end return n`,
	"gmatch fns": `local t={} for i=1,1e9 do t[i]=("x"):gmatch("x") end`,
	"find":       `local s=string.rep("x",1e8) return s:find("y",1,true)`,
	"match":      `local s=string.rep("x",1e8) return #s:match(".*")`,
	"table.concat": `local t={} for i=1,1e6 do t[i]="x" end
		return #table.concat(t,string.rep("y",200))`,
	"table.concat2": `local s=string.rep("x",1e6) local t={}
		for i=1,130 do t[i]=s end return #table.concat(t)`,
	"table.insert":     `local t={} for i=1,1e9 do table.insert(t,i) end`,
	"table.insert mid": `local t={} for i=1,1e9 do table.insert(t,1,i) if i%1000==0 then t={t} end end`,
	"arrays of 3":      `local t={} for i=1,1e9 do t={t,i,i} end`,
	"arrays big": `local r={} for j=1,1e9 do local t={}
		for i=1,1e6 do t[i]=i+0.5 end r[j]=t end`,
	"arrays same": `local r={} for j=1,1e9 do local t={}
		for i=1,1e6 do t[i]=true end r[j]=t end`,
	"arrays 513": `local r={} for j=1,1e9 do local t={}
		for i=1,513 do t[i]=true end r[j]=t end`,
	"empty tables": `local t={} for i=1,1e9 do t[i]={} end`,
	"one field":    `local t={} for i=1,1e9 do t[i]={a=1} end`,
	"nine fields":  `local t={} for i=1,1e9 do t[i]={a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1} end`,
	"nine fields set": `local t={} for i=1,1e9 do local x={} x.a=1 x.b=1 x.c=1 x.d=1 x.e=1
		x.f=1 x.g=1 x.h=1 x.i=1
		t[i]=x end`,
	"num key one":  `local t={} for i=1,1e9 do t[i]={[1.5]=1} end`,
	"num key nine": `local t={} for i=1,1e9 do local x={} for j=1,9 do x[j+0.5]=j end t[i]=x end`,
	"hash num":     `local t={} for i=1,1e9 do t[i+0.5]=i end`,
	"hash num many": `local r={} for j=1,1e9 do local t={}
		for i=1,1e4 do t[i+0.5]=i end r[j]=t end`,
	"hash str":       `local t={} for i=1,1e9 do t["k"..i]=i end`,
	"hash str churn": `local t={} for i=1,1e9 do t["k"..i]=i t["k"..(i-1)]=nil end`,
	"hash num churn": `local t={} for i=1,1e9 do t[i+0.5]=i t[i-0.5]=nil end`,
	"hash bool":      `local t={} for i=1,1e9 do t[i]={[true]=1,[false]=2} end`,
	"hash gap": `local t={} t[1e6]=1 local r={}
		for i=1,1e9 do local x={} x[1000]=1 r[i]=x end`,
	"closures": `local t={} for i=1,1e9 do t[i]=function() return i end end`,
	"closures nup": `local t={} local a,b,c,d,e,f,g,h=1,2,3,4,5,6,7,8
		for i=1,1e9 do t[i]=function() return
		a,b,c,d,e,f,g,h end end`,
	"closures own": `local t={} for i=1,1e9 do local a,b,c,d,e,f,g,h=1,2,3,4,5,6,7,8 t[i]=function() return
		a,b,c,d,e,f,g,h end end`,
	"coroutines": `local t={} for i=1,1e9 do t[i]=coroutine.create(function() end) end`,
	"coroutines run": `local t={} for i=1,1e9 do local c=coroutine.wrap(function(...) local a={...}
		coroutine.yield(1) end) c(1) t[i]=c end`,
	"coroutines deep": `local t={}
		local function f(n) if n==0 then coroutine.yield() else f(n-1) end return 1 end
		for i=1,1e9 do local c=coroutine.create(f) coroutine.resume(c,150) t[i]=c end`,
	"coroutines wide": `local t={} for i=1,1e9 do
		local c=coroutine.create(function(...) coroutine.yield() return ... end)
		coroutine.resume(c,unpack({},1,7000)) t[i]=c end`,
	"recursion":      `local function f(n) return 1+f(n+1) end return f(1)`,
	"recursion wide": `local function f(...) return 1,f(...) end return f(unpack({},1,200))`,
	"vararg": `local function f(...) local t={...}
		return f(...) end f(unpack({},1,7000))`,
	"vararg hold": `local r={} local function f(...) r[#r+1]={...}
		return f(...) end f(unpack({},1,7000))`,
	"select":              `local r={} for i=1,1e9 do r[i]={select(1,unpack({},1,7000))} end`,
	"cjson decode arrays": `return #cjson.decode("["..string.rep("[],",1e7).."1]")`,
	"cjson decode nums":   `return #cjson.decode("["..string.rep("1.5,",1048000).."1]")`,
	"cjson decode strs":   `return #cjson.decode("["..string.rep('"a",',1048000).."1]")`,
	"cjson decode objs":   `return #cjson.decode("["..string.rep('{"a":1},',1e6).."1]")`,
	"cjson decode long":   `local s='"'..string.rep("a",8e7)..'"' return #cjson.decode(s)`,
	"cjson decode esc":    `local s='"'..string.rep('\\u0041',1e7)..'"' return #cjson.decode(s)`,
	"cjson encode":        `local s=string.rep("\1",2e7) return #cjson.encode(s)`,
	"cjson encode nested": `local t={} for i=1,24 do t={t,t} end return #cjson.encode(t)`,
	"cjson.new":           `local t={} for i=1,1e9 do t[i]=cjson.new() end`,
	"struct pack pad":     `return #struct.pack("!1073741824 b i8",1,1)`,
	"struct unpack":       `return #{struct.unpack(string.rep("b",1e7),string.rep("a",1e7))}`,
	"struct unpack s":     `return #{struct.unpack(string.rep("s",1e7),string.rep("\0",1e7))}`,
	"bit":                 `local t={} for i=1,1e9 do t[i]=bit.tohex(i) end`,
	"sha1":                `local s=string.rep("x",8e7) return redis.sha1hex(s)`,
	"sha1 many":           `local t={} for i=1,1e9 do t[i]=redis.sha1hex(i) end`,
	"log":                 `local s=string.rep("x",6e7) redis.log(redis.LOG_WARNING,s,s,s)`,
	"call args":           `local s=string.rep("x",6e7) return #redis.call("echo",s)`,
	"error":               `error(string.rep("x",2e8))`,
	"error pcall":         `local t={} for i=1,1e9 do local _,e=pcall(error,string.rep("x",1e6)) t[i]=e end`,
	"error pcall small":   `local t={} for i=1,1e9 do local _,e=pcall(error,"x") t[i]=e end`,
	"error nil call": `local t={}
		for i=1,1e9 do local _,e=pcall(function() local a=nil a() end) t[i]=e end`,
	"error arg": `local s=string.rep("x",1e6) local t={}
		for i=1,1e9 do local _,e=pcall(function() return
		collectgarbage(s) end) t[i]=e end`,
	"error global": `local s=string.rep("x",1e6) local t={}
		for i=1,1e9 do local _,e=pcall(function() return
		_G[s] end) t[i]=e end`,
	"error redis": `local s=string.rep("x ",5e5) local t={}
		for i=1,1e9 do t[i]=redis.pcall(s) end`,
	"error_reply": `local s=string.rep("x ",5e5) local t={}
		for i=1,1e9 do t[i]=redis.error_reply(s) end`,
	"error_reply nl": `local s=string.rep("\n ",5e5) local t={}
		for i=1,1e9 do t[i]=redis.error_reply(s) end`,
	"status_reply": `local s=string.rep("x ",5e5) local t={}
		for i=1,1e9 do t[i]=redis.status_reply(s) end`,
	"status reply ret": `return redis.status_reply(string.rep("\n",6e7))`,
	"err ret":          `return {err=string.rep("\n",6e7)}`,
	"verbatim ret":     `return {verbatim_string={format="txt",string=string.rep("x",8e7)}}`,
	"reply tree":       `local t={} for i=1,24 do t={t,t} end return t`,
	"reply strs":       `local s=string.rep("x",1e6) local t={} for i=1,220 do t[i]=s end return t`,
	"reply numbers": `local t={} for i=1,1e6 do t[i]=i end local r={}
		for i=1,3 do r[i]=t end return r`,
	"loadstring":     `local t={} for i=1,1e9 do t[i]=loadstring("return "..i) end`,
	"loadstring big": `return loadstring("return {"..string.rep("1,",1e6).."}")`,
	"loadstring fns": `return loadstring(string.rep("local function f() end ",1e4))`,
	"loadstring name": `local s=string.rep("x",1e6) local t={}
		for i=1,1e9 do local f,e=loadstring("=",s) t[i]=e end`,
	"load": `local s=string.rep("x",1e6) local i=0 return load(function() i=i+1 if i<200 then
		return s
		end end)`,
	"sort": `local t={} for i=1,1e6 do t[i]=i end table.sort(t,function(a,b)
		return a<b end) return 1`,
	"setmetatable": `local t={} for i=1,1e9 do t[i]=setmetatable({},{__index=t}) end`,
	"tostring meta": `local s=string.rep("x",1e6) local t=setmetatable({},{__tostring=function()
		return s..s end})
		local r={} for i=1,1e9 do r[i]=tostring(t) end`,
	"unpack":         `local r={} for i=1,1e9 do r[i]={unpack({},1,7000)} end`,
	"arith garbage":  `local a=0 for i=1,3e7 do a=a+i*1.5 end return a`,
	"string garbage": `for i=1,1e9 do local a=string.rep("x",1e5) end`,
	"concat meta": `local m=setmetatable({},{__concat=function(a,b)
		return "x" end}) local s=string.rep("x",6e7)
		return #(s..s..m)`,
	"number text":         `local t={} local s=("1"):rep(300) for i=1,1e9 do t[i]=s+0 end`,
	"acl_check":           `local s=string.rep("x",6e7) return redis.acl_check_cmd("set",s,s)`,
	"command":             `local t = {} for i = 1, 1e9 do t[i] = redis.call("bulk", 1e6) end`,
	"command with items":  `local t = {} for i = 1, 1e9 do t[i] = redis.call("array", 1e4) end`,
	"command with errors": `local t = {} for i = 1, 1e9 do t[i] = redis.pcall("error", 1e5) end`,
}
